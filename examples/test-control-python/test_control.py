"""Each test has a fork: what one writes, no other sees."""

import pytest
from kubernetes import client

SETTINGS = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="settings"))


@pytest.mark.parametrize("_turn", range(3))
def test_each_test_has_a_fork(thole, _turn):
    api = client.CoreV1Api(thole.api_client)
    thole.load("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: loaded}\n")
    api.create_namespaced_config_map("default", SETTINGS)
    assert [each.metadata.name for each in api.list_namespaced_config_map("default").items] == ["loaded", "settings"]


def test_events_expire_when_time_is_advanced(manual_thole):
    api = client.CoreV1Api(manual_thole.api_client)
    event = client.CoreV1Event(
        metadata=client.V1ObjectMeta(name="happened"),
        involved_object=client.V1ObjectReference(namespace="default"),
    )
    api.create_namespaced_event("default", event)
    manual_thole.advance("59m")
    assert len(api.list_namespaced_event("default").items) == 1
    manual_thole.advance("2m")
    assert api.list_namespaced_event("default").items == []


def test_faults_and_requests(thole):
    api = client.CoreV1Api(thole.api_client)
    thole.fault(verbs=["create"], resource="configmaps", nth=1, answer={"code": 503, "message": "not now"})
    requests = thole.record()
    with pytest.raises(client.ApiException, match="not now"):
        api.create_namespaced_config_map("default", SETTINGS)
    api.create_namespaced_config_map("default", SETTINGS)
    assert [each["status"] for each in requests(verb="create", resource="configmaps")] == [503, 201]
