"""Clusters of queries that are not independent: of one user, session, topic or requisition."""

from collections.abc import Mapping
from dataclasses import replace

from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.given.reference import OpenedReferences, Plan, Reference
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.support.errors import PATH, InputError


class ClusterReference(Reference):
    """The cluster of each query, by which intervals are computed."""

    def read(self, opened: OpenedReferences) -> Mapping[str, str]:
        """Read the cluster of each query: of lines ``qid<TAB>cluster``, or by query.

        Raises InputError for a line that is wrong, and for a query with two clusters.
        """
        thing = opened.given.things[self.name]
        if not isinstance(thing, PATH):
            return {str(qid): str(name) for qid, name in thing.items()}
        from fairtrec.formats import tsv

        return tsv.clusters(thing)

    def complete_result(self, result: Result, plan: Plan, context: EvaluationContext) -> Result:
        """Add the clusters. Raises InputError for a query without one."""
        return add_clusters(result, context.opened[self.name])


def add_clusters(result: Result, clusters: Mapping[str, str]) -> Result:
    """Add the cluster of each query. Raises InputError for a query without one."""
    for scores in result.scores:
        lacking = [qid for qid in scores.qids if qid not in clusters]
        if lacking:
            what = f"query {lacking[0]} has no cluster; add one for each query of the run"
            raise InputError(what, scores.run)
    return replace(result, clusters=clusters)


CLUSTER = ClusterReference("cluster")
