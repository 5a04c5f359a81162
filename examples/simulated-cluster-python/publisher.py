"""Publishes sites: a Deployment for each, and the wait until it is available."""

from kubernetes import client, watch


class NotPublished(Exception):
    """The deadline of the Deployment has passed."""


def publish(name, image, replicas=3, annotations=None, namespace="default"):
    """Creates the Deployment of a site and returns when all of its pods are available. `annotations` are those of its pods."""
    apps, labels = client.AppsV1Api(), {"site": name}
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels, annotations=annotations),
        spec=client.V1PodSpec(containers=[client.V1Container(name="site", image=image)]),
    )
    spec = client.V1DeploymentSpec(
        replicas=replicas,
        min_ready_seconds=1,
        progress_deadline_seconds=2,
        selector=client.V1LabelSelector(match_labels=labels),
        template=template,
    )
    apps.create_namespaced_deployment(namespace, client.V1Deployment(metadata=client.V1ObjectMeta(name=name), spec=spec))
    changes = watch.Watch().stream(apps.list_namespaced_deployment, namespace, field_selector=f"metadata.name={name}")
    for event in changes:
        if is_published(event["object"]):
            return


def is_published(deployment):
    """Whether the Deployment is available as a whole. Raises NotPublished if it will not be."""
    status = deployment.status
    if (status.observed_generation or 0) < deployment.metadata.generation:
        return False
    for condition in status.conditions or []:
        if condition.type == "Progressing" and condition.status == "False":
            raise NotPublished(condition.message)
    return status.available_replicas == deployment.spec.replicas
