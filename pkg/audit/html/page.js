(() => {
  "use strict";
  const form = document.getElementById("filter");
  if (!form) return;
  const shown = document.getElementById("shown");
  const findings = [...document.querySelectorAll(".finding")];
  let texts;
  const apply = () => {
    texts ??= findings.map((f) => f.textContent.toLowerCase());
    const { action, rule, namespace, text } = form.elements;
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    findings.forEach((f, n) => {
      const fits = [action, rule, namespace].every((s) => s.value === "" || f.dataset[s.name] === s.value) &&
        words.every((w) => texts[n].includes(w));
      f.hidden = !fits;
      count += fits;
    });
    shown.textContent = `${count} of ${findings.length} findings shown`;
  };
  let timer;
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, 80); });
  form.addEventListener("reset", () => setTimeout(apply));
  form.addEventListener("submit", (e) => e.preventDefault());
  document.querySelectorAll("a[data-select]").forEach((a) => a.addEventListener("click", () => {
    form.reset();
    form.elements[a.dataset.select].value = a.dataset.value;
  }));
  form.hidden = false;
})();
