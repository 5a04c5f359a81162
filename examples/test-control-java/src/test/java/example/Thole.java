package example;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A server with its test control: started once, and forked for each test. */
public final class Thole implements AutoCloseable {
  private static final ObjectMapper json = new ObjectMapper();

  private final String control;
  private final String token;
  private final Config config;
  private final HttpClient http;
  private final AutoCloseable end;
  private KubernetesClient client;

  private Thole(String control, String token, String kubeconfig, AutoCloseable end) throws Exception {
    this.control = control;
    this.token = token;
    this.end = end;
    config = Config.fromKubeconfig(kubeconfig);
    http = HttpClient.newBuilder().sslContext(trusting(config.getCaCertData())).version(HttpClient.Version.HTTP_1_1).build();
  }

  /**
   * The server that the variables THOLE_TEST_URL, THOLE_TEST_TOKEN and KUBECONFIG name; without them, one that is started by the command in THOLE. Its default is
   * node_modules/.bin/thole; not npx, which does not pass signals on.
   */
  public static Thole start() throws Exception {
    Map<String, String> printed = new HashMap<>(System.getenv());
    if (printed.containsKey("THOLE_TEST_URL")) return of(printed, () -> {});
    printed.remove("KUBECONFIG");
    List<String> command = new ArrayList<>(Arrays.asList(printed.getOrDefault("THOLE", "node_modules/.bin/thole").trim().split("\\s+")));
    // The server ends when its standard input closes, even if the tests are killed.
    command.addAll(List.of("--test-control", "--data-dir=:memory:", "--secure-port=0", "--exit-on-stdin-close"));
    Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    var lines = process.inputReader();
    for (String line; !printed.containsKey("KUBECONFIG") && (line = lines.readLine()) != null;) {
      int equals = line.indexOf('=');
      if (line.startsWith("export ") && equals > 0) printed.put(line.substring("export ".length(), equals), line.substring(equals + 1));
    }
    if (!printed.containsKey("KUBECONFIG")) throw new IOException("the server ended with " + process.waitFor() + " before it was ready");
    return of(printed, () -> {
      process.destroy();
      process.waitFor(20, TimeUnit.SECONDS);
    });
  }

  private static Thole of(Map<String, String> names, AutoCloseable end) throws Exception {
    return new Thole(names.get("THOLE_TEST_URL"), names.get("THOLE_TEST_TOKEN"), Files.readString(Path.of(names.get("KUBECONFIG"))), end);
  }

  /** A client of the API, as a member of system:masters. It is closed with the server. */
  public KubernetesClient client() {
    if (client == null) client = new KubernetesClientBuilder().withConfig(config).build();
    return client;
  }

  /** A server of its own with the same objects. Nothing that one writes is seen by the other. */
  public Thole fork() throws Exception {
    return fork(Map.of());
  }

  /** A fork whose time stands still until it is advanced. */
  public Thole forkWithClock() throws Exception {
    return fork(Map.of("clock", "manual"));
  }

  private Thole fork(Map<String, ?> body) throws Exception {
    JsonNode made = send("POST", "forks", body);
    String path = "forks/" + made.get("id").asText();
    return new Thole(made.get("url").asText() + "/test", token, made.get("kubeconfig").asText(), () -> send("DELETE", path, null));
  }

  /** Creates the objects of manifests in YAML, in the order of what they need. */
  public void load(String manifests) throws Exception {
    send("POST", "load", Map.of("manifests", manifests));
  }

  /** Advances the time of a fork with a clock, and waits for the work that was due until then. */
  public void advance(Duration by) throws Exception {
    send("POST", "clock/advance", Map.of("by", by.toMillis() + "ms"));
  }

  /** Adds a rule of faults: which requests meet which fault. */
  public void fault(Map<String, ?> rule) throws Exception {
    send("POST", "faults/rules", rule);
  }

  /** Begins a recording. Returns its name. */
  public String record() throws Exception {
    return send("POST", "recordings", null).get("id").asText();
  }

  /** The requests of a recording that match a query such as verb=update&amp;resource=widgets. */
  public JsonNode requests(String recording, String query) throws Exception {
    return send("GET", "recordings/" + recording + "/requests?" + query, null).get("requests");
  }

  /** Sends a request to the control. /test/openapi.json has all of them. */
  public JsonNode send(String method, String path, Object body) throws Exception {
    var sent = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json.writeValueAsString(body));
    var request = HttpRequest.newBuilder(URI.create(control + "/" + path)).method(method, sent);
    request.header("Authorization", "Bearer " + token).header("Content-Type", "application/json");
    var response = http.send(request.build(), BodyHandlers.ofString());
    if (response.statusCode() >= 300) throw new IOException(method + " /test/" + path + ": " + response.statusCode() + " " + response.body());
    return json.readTree(response.body());
  }

  @Override
  public void close() throws Exception {
    if (client != null) client.close();
    end.close();
  }

  /** Trusts the authority of the kubeconfig, in base64. */
  private static SSLContext trusting(String authority) throws Exception {
    byte[] pem = Base64.getDecoder().decode(authority.getBytes(StandardCharsets.UTF_8));
    var keys = KeyStore.getInstance(KeyStore.getDefaultType());
    keys.load(null, null);
    for (var each : CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem))) {
      keys.setCertificateEntry("authority " + keys.size(), each);
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(keys);
    var context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }
}
