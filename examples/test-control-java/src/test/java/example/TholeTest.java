package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(TholeExtension.class)
class TholeTest {
  /** Creates a ConfigMap, which no other test sees. */
  private static void createSettings(Thole server) {
    var settings = new ConfigMapBuilder().withNewMetadata().withName("settings").endMetadata().build();
    server.client().configMaps().inNamespace("default").resource(settings).create();
  }

  @Test
  void eachTestHasAFork(Thole server) throws Exception {
    server.load("apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n");
    createSettings(server);
    assertEquals(1, server.client().configMaps().inNamespace("default").list().getItems().size());
    try (var inner = server.fork()) {
      inner.client().configMaps().inNamespace("default").withName("settings").delete();
      assertEquals(0, inner.client().configMaps().inNamespace("default").list().getItems().size());
      assertEquals("team", inner.client().namespaces().withName("team").get().getMetadata().getName());
    }
    assertEquals(1, server.client().configMaps().inNamespace("default").list().getItems().size());
  }

  @Test
  void timeIsAdvanced(@WithClock Thole server) throws Exception {
    createSettings(server);
    var before = Instant.parse(server.send("GET", "clock", null).get("now").asText());
    server.advance(Duration.ofHours(3));
    server.client().configMaps().inNamespace("default").withName("settings").delete();
    createSettings(server);
    var made = server.client().configMaps().inNamespace("default").withName("settings").get().getMetadata().getCreationTimestamp();
    assertEquals(before.plus(Duration.ofHours(3)).getEpochSecond(), Instant.parse(made).getEpochSecond());
  }

  @Test
  void faultsAreInjectedAndRequestsRecorded(Thole server) throws Exception {
    createSettings(server);
    server.fault(Map.of("verbs", List.of("delete"), "resource", "configmaps", "nth", 1, "answer", Map.of("reason", "Conflict")));
    var recording = server.record();
    var settings = server.client().configMaps().inNamespace("default").withName("settings");
    assertEquals(409, assertThrows(KubernetesClientException.class, settings::delete).getCode());
    settings.delete();
    var deletes = server.requests(recording, "verb=delete&resource=configmaps");
    assertEquals(List.of(409, 200), List.of(deletes.get(0).get("status").asInt(), deletes.get(1).get("status").asInt()));
  }
}
