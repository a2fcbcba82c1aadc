// The phone's network: what waits for it, and what is given up when it is lost.
let line = new AbortController();
addEventListener("offline", () => {
  line.abort();
  line = new AbortController();
});

// A signal that cuts a request when the phone loses its network: it will not be answered.
export const untilOffline = () => line.signal;

// Wait so many milliseconds, or until the network is back.
export const pause = (time) =>
  new Promise((done) => {
    setTimeout(done, time);
    addEventListener("online", done, { once: true });
  });
