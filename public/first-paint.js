// Runs before the first paint: the remembered theme and language, so that nothing flashes. Kept apart from the modules
// because a strict Content-Security-Policy allows no inline script.
(function () {
  var root = document.documentElement;
  try {
    var theme = localStorage.getItem('theme-mode') || 'auto';
    if (theme !== 'light' && theme !== 'dark') theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    root.dataset.mantineColorScheme = theme;
    var bar = document.querySelector('meta[name="theme-color"]');
    if (bar) bar.content = theme === 'dark' ? '#0c1212' : '#eff5f5';
    var language = localStorage.getItem('i18nextLng') || navigator.language || 'zh';
    root.lang = language.slice(0, 2) === 'en' ? 'en' : 'zh-CN';
  } catch (error) {
    root.dataset.mantineColorScheme = 'light';
  }
})();
