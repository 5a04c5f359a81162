// What revisions keep.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, openSimulation } from "../test-world.ts";

test("the fields of a revision are in the order in which upstream's controllers write them", async () => {
  await using world = await openSimulation();
  const metadata = { labels: { a: "b" } }, spec = { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }] };
  await world.api.create("apps/v1", "daemonsets", "default", {
    metadata: { name: "d" },
    spec: { selector: { matchLabels: metadata.labels }, template: { metadata, spec } },
  });
  const text = await eventually(async () => {
    const answer = await world.server.handle(new Request("https://test/apis/apps/v1/namespaces/default/controllerrevisions"));
    const found = /"data":(\{.*\}),"revision"/.exec(await answer.text());
    assert.ok(found !== null);
    return found[1]!;
  });
  const container = '{"image":"i","imagePullPolicy":"Always","name":"c","ports":[{"containerPort":80,"protocol":"TCP"}],"resources":{},' +
    '"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}';
  const pod = `{"containers":[${container}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler",` +
    '"securityContext":{},"terminationGracePeriodSeconds":30}';
  assert.equal(text, `{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"a":"b"}},"spec":${pod}}}}`);
});
