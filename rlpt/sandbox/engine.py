"""Whether a Docker engine answers: one small question over its socket, without the Docker SDK, in a moment."""

from __future__ import annotations

import http.client
import os
import socket
from pathlib import Path
from urllib.parse import urlsplit

PROBE_TIMEOUT_S = 0.5
DEFAULT_HOST = "unix:///var/run/docker.sock"


def missing_engine() -> str | None:
    """Return why no engine can be used, as a clause for a person; None where one answers.

    Looks at `$DOCKER_HOST`, else at the usual socket, as the Docker SDK does.
    """
    host = os.environ.get("DOCKER_HOST") or DEFAULT_HOST
    address = urlsplit(host)
    try:
        if address.scheme == "unix":
            path = address.path
            if not Path(path).exists():
                return f"there is no Docker engine at {path}"
            return _ask(_UnixConnection(path), host)
        if address.scheme in ("tcp", "http", "https") and address.hostname:
            # A port that is open says enough: with TLS only the SDK knows the certificates.
            socket.create_connection((address.hostname, address.port or 2375), PROBE_TIMEOUT_S).close()
            return None
    except PermissionError:
        return f"this user may not use the Docker engine at {host}"
    except (OSError, ValueError, http.client.HTTPException) as error:
        return f"no Docker engine answers at {host} ({error})"
    return f"DOCKER_HOST={host} is of a kind that rlpt does not use"


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("docker", timeout=PROBE_TIMEOUT_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PROBE_TIMEOUT_S)
        self.sock.connect(self._path)


def _ask(connection: http.client.HTTPConnection, host: str) -> str | None:
    try:
        connection.request("GET", "/_ping")
        answer = connection.getresponse().status
    finally:
        connection.close()
    return None if answer == http.HTTPStatus.OK else f"the Docker engine at {host} answers with status {answer}"
