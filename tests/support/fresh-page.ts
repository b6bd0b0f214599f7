// Resets the page before each of the test files that share it: as if a new visitor had just opened it.
localStorage.clear();
sessionStorage.clear();
document.body.replaceChildren();
