"""MLflow: one MLflow run per run folder, in the experiment of the recipe's name, at any tracking address.

The id of the MLflow run is an event of the store, so a resumed run goes on in it. The metric ``step`` is sent with the
last values of a step: what it has not reached was not sent whole.
"""

import logging
import os
import time
import tomllib
from collections.abc import Mapping
from itertools import islice
from typing import Any

from trivium.config import changed_keys
from trivium.store import RunStore, ordinal, step_of

from .tracker import label

EVENT = "mlflow"
MOST = 900
"""Metrics of one request; MLflow takes 1,000."""


class MLflow:
    """Sends metrics to an address."""

    def __init__(self, address: str, experiment: str, store: RunStore) -> None:
        os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")  # nothing is sent to anyone but the address
        from mlflow.tracking import MlflowClient

        logging.getLogger("mlflow").setLevel(logging.WARNING)
        self._client: Any = MlflowClient(tracking_uri=address)
        known = store.journal.events(EVENT)
        self._run = known[-1].text if known else self._begin(experiment, store)
        self._client.update_run(self._run, status="RUNNING")
        history = self._client.get_metric_history(self._run, "step")
        self.last = step_of(max((point.step for point in history), default=0))

    def _begin(self, experiment: str, store: RunStore) -> str:
        found = self._client.get_experiment_by_name(experiment)
        place = found.experiment_id if found else self._client.create_experiment(experiment)
        run = str(self._client.create_run(place, run_name=store.folder.resolve().name).info.run_id)
        store.journal.add_event(EVENT, run)
        for key in changed_keys(tomllib.loads(store.recipe or "")):
            name, _, value = key.partition(" = ")
            self._client.log_param(run, name, value)
        return run

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Send a step."""
        from mlflow.entities import Metric

        now, last = int(1000 * time.time()), ordinal(step)
        metrics = iter([Metric(label(name), value, now, last) for name, value in values.items()])
        while batch := list(islice(metrics, MOST)):
            self._client.log_batch(self._run, metrics=batch)
        self._client.log_batch(self._run, metrics=[Metric("step", last, now, last)])

    def close(self) -> None:
        """The run is over, until it is resumed."""
        self._client.set_terminated(self._run)
