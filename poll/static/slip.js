// The code of a slip, which the phone was opened with: the part of the address behind `#`, which
// browsers do not send. It is taken out of the address, so that no bookmark or shared link holds it.
const LONGEST = 40;

export function givenSlip() {
  const code = location.hash.slice(1, 1 + LONGEST);
  if (code) history.replaceState(null, "", location.pathname);
  return code;
}
