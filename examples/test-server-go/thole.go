// Package testserver starts Thole for tests: an API server in memory, without etcd.
package testserver

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Server is a running server. Stop ends it; nothing is left behind.
type Server struct {
	Config  *rest.Config
	command *exec.Cmd
}

// Start runs the command, such as "node_modules/.bin/thole", and waits until the server is ready. Not npx, which does not pass signals on.
func Start(ctx context.Context, command ...string) (*Server, error) {
	words := append(command[1:], "--data-dir=:memory:", "--secure-port=0", "--exit-on-stdin-close")
	server := &Server{command: exec.CommandContext(ctx, command[0], words...)}
	server.command.Stderr = os.Stderr
	server.command.Cancel = func() error { return server.command.Process.Signal(syscall.SIGTERM) }
	server.command.WaitDelay = 20 * time.Second
	// Open as long as this process lives: the server ends when it closes, even if the tests are killed.
	if _, err := server.command.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := server.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := server.command.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if path, found := strings.CutPrefix(lines.Text(), "export KUBECONFIG="); found {
			if server.Config, err = clientcmd.BuildConfigFromFlags("", path); err != nil {
				return nil, fmt.Errorf("cannot read the kubeconfig: %w", err)
			}
			return server, nil
		}
	}
	return nil, fmt.Errorf("the server ended before it was ready: %w", server.command.Wait())
}

// Stop ends the server gracefully.
func (s *Server) Stop() error {
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.command.Wait()
}
