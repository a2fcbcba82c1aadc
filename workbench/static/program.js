// The program on this computer: what it is asked, and what it answers. Addresses are relative: the page's
// own has the token. A refusal is `Refused`, with the program's sentence; no answer at all is a TypeError.
export class Refused extends Error {
  constructor(status, { error = {}, exists = false } = {}) {
    super(error.text ?? String(status));
    Object.assign(this, { status, exists, lang: error.lang ?? null, option: error.option ?? null, step: error.step ?? null });
  }
}

const asJson = async (answer) => {
  if (answer.status === 204) return null;
  const text = await answer.text();
  try {
    return JSON.parse(text);
  } catch {
    return { error: { text } }; // plain text, as it came
  }
};

const stopped = new AbortController();

async function ask(path, given) {
  const answer = await fetch(path, { cache: "no-store", credentials: "omit", ...given });
  const said = await asJson(answer);
  if (!answer.ok) throw new Refused(answer.status, said ?? {});
  return said;
}

export const sentences = () => ask("sentences.json", {});

// The state, as soon as it is newer than a version. 0: at once.
export const news = (version) => ask(`news/${version}`, { signal: stopped.signal });

// Wait for no more news: the program ends.
export const stopNews = () => stopped.abort();

export const send = (path, body = null) => ask(path, { method: "POST", body: body === null ? null : JSON.stringify(body) });

// The bytes of a file for a path. moved(share): how much is there. Returns {done, stop}.
export function give(path, file, moved) {
  const request = new XMLHttpRequest();
  const done = new Promise((resolve, reject) => {
    request.upload.addEventListener("progress", (event) => moved(event.lengthComputable ? event.loaded / event.total : null));
    request.addEventListener("error", () => reject(new TypeError("no answer")));
    request.addEventListener("abort", () => resolve(null));
    request.addEventListener("load", () => {
      let said = {};
      try {
        said = JSON.parse(request.responseText);
      } catch {
        said = { error: { text: request.responseText } };
      }
      if (request.status < 400) resolve(said);
      else reject(new Refused(request.status, said));
    });
    request.open("POST", path);
    request.send(file);
  });
  return { done, stop: () => request.abort() };
}

// This tab is closed or goes elsewhere.
export const leave = () => navigator.sendBeacon("leave");
