"""Where a server is, which of its models is asked, and the key.

Always true: the key is read from the environment when it is needed, is part of no text that leaves this object but the
header of a request, and is hidden in what a server says about it.
"""

import os
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from trivium.episode import ConfigError

HIDDEN = "[key]"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A base URL (such as ``http://127.0.0.1:8000/v1``) and the name of a model there."""

    url: str
    model: str
    key: str = field(default="", repr=False)

    @classmethod
    def open(cls, url: str, model: str, key_env: str | None = None) -> "Endpoint":
        """With the key in the environment variable `key_env`.

        Raises ConfigError for a URL that cannot serve, and when a server that is not on this machine has no key.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"the URL {url!r:.100} is none of a server; give one such as http://127.0.0.1:8000/v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ConfigError(f"the URL of {parts.hostname} holds more than a path; name a key by key_env instead")
        key = os.environ.get(key_env, "").strip() if key_env else ""
        if key_env and not key:
            raise ConfigError(f"the environment variable {key_env} is not set; put the key of {parts.hostname} there")
        if not key and not is_loopback(parts.hostname):
            raise ConfigError(
                f"{parts.hostname} is not this machine and no key is named; "
                "set policy.remote.key_env to the environment variable that holds the key"
            )
        return cls(url.rstrip("/"), model, key)

    @property
    def headers(self) -> dict[str, str]:
        """What a request carries."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def hide(self, text: str) -> str:
        """A server's words without the key."""
        return text.replace(self.key, HIDDEN) if self.key else text


def is_loopback(host: str) -> bool:
    """Whether a host name means this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
