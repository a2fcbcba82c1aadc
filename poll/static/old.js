// For browsers that are too old for the modules: the page says so. Everything here is JavaScript of 2009.
(function () {
  "use strict";
  function say(title, words) {
    var screen = document.getElementById("screen");
    var heading = document.createElement("h1");
    var line = document.createElement("p");
    heading.appendChild(document.createTextNode(title));
    line.appendChild(document.createTextNode(words));
    line.className = "note";
    while (screen.firstChild) screen.removeChild(screen.firstChild);
    screen.appendChild(heading);
    screen.appendChild(line);
  }

  // Modules run before this event, if they can run at all; join.js then says that it has begun.
  window.addEventListener("load", function () {
    if (document.documentElement.getAttribute("data-began") !== null) return;
    var modern = "noModule" in document.createElement("script") && "replaceChildren" in document.body && "WebAssembly" in window;
    var what = modern ? "data-lost" : "data-old";
    say(document.body.getAttribute(what + "-title"), document.body.getAttribute(what)); // in the page's language
  });
})();
