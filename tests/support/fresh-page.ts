// Before each test file of those that share a page: as if it were just opened by somebody who was never here.
localStorage.clear();
sessionStorage.clear();
document.body.replaceChildren();
