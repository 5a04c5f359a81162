import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.io.File;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

public class Informers {
  public static void main(String[] args) throws Exception {
    Config config = Config.fromKubeconfig(new File(args[0]));
    try (var client = new KubernetesClientBuilder().withConfig(config).build()) {
      var seen = new CountDownLatch(3);
      var maps = client.configMaps().inNamespace("default");
      var informer = maps.inform(new ResourceEventHandler<ConfigMap>() {
        public void onAdd(ConfigMap map) { if (map.getMetadata().getName().equals("fabric8")) { System.out.println("added"); seen.countDown(); } }
        public void onUpdate(ConfigMap before, ConfigMap after) { if (after.getMetadata().getName().equals("fabric8")) { System.out.println("updated"); seen.countDown(); } }
        public void onDelete(ConfigMap map, boolean unknown) { System.out.println("deleted"); seen.countDown(); }
      });
      maps.resource(new ConfigMapBuilder().withNewMetadata().withName("fabric8").endMetadata().addToData("a", "1").build()).create();
      maps.withName("fabric8").edit(map -> new ConfigMapBuilder(map).addToData("a", "2").build());
      maps.withName("fabric8").delete();
      System.out.println(seen.await(20, TimeUnit.SECONDS) && informer.isWatching() ? "all events" : "missing events");
    }
    System.exit(0);
  }
}
