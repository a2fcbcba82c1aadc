// The code of a slip, which the phone was opened with: the part of the address behind `#`, which
// browsers do not send. It is taken out of the address, so that no bookmark or shared link holds it.
const LONGEST = 40;
const PLACE = "veilmix slip"; // in the browser's own memory, which survives a closed tab

export function givenSlip() {
  const code = location.hash.slice(1, 1 + LONGEST);
  if (code) history.replaceState(null, "", location.pathname);
  return code;
}

const bare = (slip) => slip.toUpperCase().replace(/[ -]/g, "");

// Keep which phone a slip has made of this browser, and nothing else: neither a name nor an answer. A
// browser without room for it needs another slip after its tab is closed.
export function keepSlip(code, slip, phone) {
  try {
    localStorage.setItem(PLACE, JSON.stringify({ code, slip: bare(slip), phone }));
  } catch {
    // nothing is lost but the way back
  }
}

// The phone that this browser was with the same slip in the same session; null if it was none.
export function phoneOf(code, slip) {
  try {
    const kept = JSON.parse(localStorage.getItem(PLACE));
    return kept?.code === code && kept.slip === bare(slip) ? kept.phone : null;
  } catch {
    return null;
  }
}

export function forgetSlip() {
  try {
    localStorage.removeItem(PLACE);
  } catch {
    // nothing was kept
  }
}
