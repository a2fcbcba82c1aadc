"""Decisions as bytes: columns, rules, certificates, and commitments to them (commitment.py)."""

from ...errors import Reason, Refused
from .hiding_rules import Hiding, Mask, Redact
from .messages import BLIND, STATE, Certificate, CommittedDecision, Decision, OpenedCertificate
from .schema import MAX_FEATURES
from .wire import Reader, Writer


def write_columns(out: Writer, columns: tuple[int, ...]) -> None:
    """Write column numbers, ascending."""
    out.structures(columns, Writer.u8)


def read_columns(data: Reader) -> tuple[int, ...]:
    """Read column numbers; Refused unless they ascend."""
    columns = data.structures(Reader.u8)
    if list(columns) != sorted(set(columns)) or len(columns) > MAX_FEATURES:
        raise Refused(Reason.MALFORMED)
    return columns


def write_hiding(out: Writer, rule: Hiding) -> None:
    """Write the rule of a column."""
    match rule:
        case Mask(column, values):
            out.u8(column).flag(False).structures(values, Writer.text)
        case Redact(column, values, cover):
            out.u8(column).flag(True).structures(values, Writer.text).u32(cover)


def read_hiding(data: Reader) -> Hiding:
    """Read the rule of a column."""
    column, redacts, values = data.u8(), data.flag(), data.structures(Reader.text)
    return Redact(column, values, data.u32()) if redacts else Mask(column, values)


def write_certificate(out: Writer, proof: Certificate) -> None:
    """Write the fields of a certificate."""
    out.text(proof.rule).u32(proof.k).u32(proof.n).u32(proof.people)
    out.structures(proof.thresholds, Writer.f64)
    out.structures([] if proof.pivot is None else [proof.pivot], Writer.u8)
    out.structures([] if proof.slack is None else [proof.slack], Writer.f64)
    out.blob(proof.proof)


def read_certificate(data: Reader) -> Certificate:
    """Read the fields of a certificate; Refused unless they fit each other."""
    rule, k, n, people = data.text(), data.u32(), data.u32(), data.u32()
    thresholds, pivot, slack = (
        data.structures(Reader.f64),
        data.structures(Reader.u8),
        data.structures(Reader.f64),
    )
    if people > n or len(pivot) > 1 or len(slack) > 1:
        raise Refused(Reason.MALFORMED)
    first_pivot, first_slack = next(iter(pivot), None), next(iter(slack), None)
    return Certificate(rule, k, n, people, thresholds, first_pivot, first_slack, data.blob())


def write_decision(out: Writer, decision: Decision) -> None:
    """Write a decision with its certificate: a post, or the input of a commitment."""
    write_columns(out, decision.kept)
    write_certificate(out, decision.certificate)
    out.structures(decision.hidden, write_hiding)


def read_decision(data: Reader) -> Decision:
    """Read a decision with its certificate."""
    return Decision(read_columns(data), read_certificate(data), data.structures(read_hiding))


def write_committed(out: Writer, decision: CommittedDecision) -> None:
    """Write a decision with a commitment."""
    write_columns(out, decision.kept)
    out.u32(decision.n).structures([] if decision.delta is None else [decision.delta], Writer.f64)
    out.structures(decision.hidden, write_hiding).raw(decision.digest).blob(decision.sealed)


def read_committed(data: Reader) -> CommittedDecision:
    """Read a decision with a commitment; Refused if it has two deltas."""
    released_columns, n, delta = read_columns(data), data.u32(), data.structures(Reader.f64)
    if len(delta) > 1:
        raise Refused(Reason.MALFORMED)
    hidden, digest = data.structures(read_hiding), data.raw(STATE)
    return CommittedDecision(
        released_columns, n, next(iter(delta), None), hidden, digest, data.blob()
    )


def write_opened_certificate(out: Writer, opened: OpenedCertificate) -> None:
    """Write the opening of a commitment: a post, or the content sealed for the analyst."""
    out.raw(opened.blind)
    write_certificate(out, opened.certificate)


def read_opened_certificate(data: Reader) -> OpenedCertificate:
    """Read the opening of a commitment; Refused(MALFORMED) if any byte of it is wrong."""
    return OpenedCertificate(data.raw(BLIND), read_certificate(data))
