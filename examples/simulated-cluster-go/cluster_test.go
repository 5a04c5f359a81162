package publisher

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// startCluster starts a simulated cluster in memory and stops it after the test. The command is not npx, which does not pass signals on.
func startCluster(t *testing.T, command ...string) *rest.Config {
	t.Helper()
	words := append(command[1:], "--simulate", "--data-dir=:memory:", "--secure-port=0", "--exit-on-stdin-close")
	server := exec.Command(command[0], words...)
	server.Stderr = os.Stderr
	// Open as long as this process lives: the server ends when it closes, even if the test is killed.
	if _, err := server.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	output, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := server.Wait(); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if path, found := strings.CutPrefix(lines.Text(), "export KUBECONFIG="); found {
			config, err := clientcmd.BuildConfigFromFlags("", path)
			if err != nil {
				t.Fatal(err)
			}
			return config
		}
	}
	t.Fatal("the server ended before it was ready")
	return nil
}
