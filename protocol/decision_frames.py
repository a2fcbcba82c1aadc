"""Decisions as bytes: columns, rules, certificates, and commitments to them (commitment.py)."""

from ..errors import Reason, Refused
from .hiding import Hiding, Mask, Redact
from .messages import (
    BLIND,
    STATE,
    Certificate,
    CommittedDecision,
    Decision,
    OpenedCertificate,
)
from .schema import MAX_FEATURES
from .wire import Reader, Writer


def write_columns(out: Writer, columns: tuple[int, ...]) -> None:
    """Write column numbers, ascending."""
    out.many(columns, Writer.u8)


def read_columns(data: Reader) -> tuple[int, ...]:
    """Read column numbers; Refused unless they ascend."""
    columns = data.many(Reader.u8)
    if list(columns) != sorted(set(columns)) or len(columns) > MAX_FEATURES:
        raise Refused(Reason.MALFORMED)
    return columns


def write_hiding(out: Writer, rule: Hiding) -> None:
    """Write the rule of a column."""
    match rule:
        case Mask(column, values):
            out.u8(column).flag(False).many(values, Writer.text)
        case Redact(column, values, cover):
            out.u8(column).flag(True).many(values, Writer.text).u32(cover)


def read_hiding(data: Reader) -> Hiding:
    """Read the rule of a column."""
    column, redacts, values = data.u8(), data.flag(), data.many(Reader.text)
    return Redact(column, values, data.u32()) if redacts else Mask(column, values)


def write_certificate(out: Writer, proof: Certificate) -> None:
    """Write the fields of a certificate."""
    out.text(proof.rule).u32(proof.k).u32(proof.n).u32(proof.people)
    out.many(proof.thresholds, Writer.f64)
    out.many([] if proof.pivot is None else [proof.pivot], Writer.u8)
    out.many([] if proof.slack is None else [proof.slack], Writer.f64)
    out.blob(proof.proof)


def read_certificate(data: Reader) -> Certificate:
    """Read the fields of a certificate; Refused unless they fit each other."""
    rule, k, n, people = data.text(), data.u32(), data.u32(), data.u32()
    thresholds, pivot, slack = data.many(Reader.f64), data.many(Reader.u8), data.many(Reader.f64)
    if people > n or len(pivot) > 1 or len(slack) > 1:
        raise Refused(Reason.MALFORMED)
    first_pivot, other = next(iter(pivot), None), next(iter(slack), None)
    return Certificate(rule, k, n, people, thresholds, first_pivot, other, data.blob())


def write_decision(out: Writer, decision: Decision) -> None:
    """Write a decision with its certificate: a post, or the input of a commitment."""
    write_columns(out, decision.kept)
    write_certificate(out, decision.certificate)
    out.many(decision.hidden, write_hiding)


def read_decision(data: Reader) -> Decision:
    """Read a decision with its certificate."""
    return Decision(read_columns(data), read_certificate(data), data.many(read_hiding))


def write_committed(out: Writer, said: CommittedDecision) -> None:
    """Write a decision with a commitment."""
    write_columns(out, said.kept)
    out.u32(said.n).many([] if said.delta is None else [said.delta], Writer.f64)
    out.many(said.hidden, write_hiding).raw(said.digest).blob(said.sealed)


def read_committed(data: Reader) -> CommittedDecision:
    """Read a decision with a commitment; Refused if it has two deltas."""
    kept, n, delta = read_columns(data), data.u32(), data.many(Reader.f64)
    if len(delta) > 1:
        raise Refused(Reason.MALFORMED)
    hidden, digest = data.many(read_hiding), data.raw(STATE)
    return CommittedDecision(kept, n, next(iter(delta), None), hidden, digest, data.blob())


def write_opened_certificate(out: Writer, opened: OpenedCertificate) -> None:
    """Write the opening of a commitment: a post, or the content sealed for the analyst."""
    out.raw(opened.blind)
    write_certificate(out, opened.certificate)


def read_opened_certificate(data: Reader) -> OpenedCertificate:
    """Read the opening of a commitment; Refused(MALFORMED) if any byte of it is wrong."""
    return OpenedCertificate(data.raw(BLIND), read_certificate(data))
