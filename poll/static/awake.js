// Keep the screen on while a session needs this phone, as far as its browser lets a page: most have
// wake locks for pages over https alone, so every screen that waits asks its person too.
let held = null;

export async function stayAwake() {
  if (held || document.hidden || !("wakeLock" in navigator)) return;
  held = "asked";
  try {
    held = await navigator.wakeLock.request("screen");
    held.addEventListener("release", () => (held = null));
  } catch {
    held = null; // the battery is low, or the browser does not want to
  }
}

export function mayRest() {
  if (held instanceof Object) held.release();
}
