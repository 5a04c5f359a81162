from kubernetes import client, watch


def test_configmaps_are_created_and_watched(api_server):
    api = client.CoreV1Api()
    settings = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="settings"), data={"colour": "blue"})
    created = api.create_namespaced_config_map("default", settings)
    api.patch_namespaced_config_map("settings", "default", {"data": {"colour": "green"}})
    changes = watch.Watch().stream(
        api.list_namespaced_config_map, "default", resource_version=created.metadata.resource_version, timeout_seconds=20
    )
    event = next(iter(changes))
    assert (event["type"], event["object"].data) == ("MODIFIED", {"colour": "green"})


def test_a_rule_of_a_custom_resource_rejects(api_server):
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "rods.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Rod", "plural": "rods"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {"length": {"type": "integer"}},
                            "x-kubernetes-validations": [{"rule": "!has(self.length) || self.length > 0", "message": "too short"}],
                        }
                    },
                }
            ],
        },
    }
    client.ApiextensionsV1Api().create_custom_resource_definition(definition)
    objects = client.CustomObjectsApi()
    rod = {"apiVersion": "example.com/v1", "kind": "Rod", "metadata": {"name": "a"}, "length": 0}
    for _ in range(200):
        try:
            objects.create_namespaced_custom_object("example.com", "v1", "default", "rods", rod)
        except client.ApiException as error:
            if error.status == 404:  # not served yet
                continue
            assert error.status == 422 and "too short" in error.body
            return
        raise AssertionError("the rod was created")
    raise AssertionError("rods are not served")
