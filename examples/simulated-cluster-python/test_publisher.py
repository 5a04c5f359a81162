import pytest
from kubernetes import client

from publisher import NotPublished, publish


def test_a_site_is_published_when_its_pods_are_available(cluster):
    publish("blog", "blog:1")
    pods = client.CoreV1Api().list_namespaced_pod("default", label_selector="site=blog")
    assert len(pods.items) == 3


def test_a_site_whose_image_cannot_be_pulled_is_an_error(cluster):
    with pytest.raises(NotPublished, match="has timed out progressing"):
        publish("shop", "shop:broken", annotations={"simulation.thole.dev/waiting": "ImagePullBackOff"})
