/** What a browser says of itself, as people call it: browser and system. Undefined where neither is known. */
export function deviceName(userAgent: string): { browser: string; system: string } | undefined {
  const browser = firstOf(userAgent, [
    [/\bEdgA?\//, 'Edge'],
    [/\bOPR\//, 'Opera'],
    [/MicroMessenger/, 'WeChat'],
    [/Firefox\/|FxiOS/, 'Firefox'],
    [/Chrome\/|CriOS/, 'Chrome'],
    [/Safari\//, 'Safari'],
    [/^curl\//, 'curl'],
  ]);
  const system = firstOf(userAgent, [
    [/iPhone|iPad/, 'iOS'],
    [/Android/, 'Android'],
    [/Windows/, 'Windows'],
    [/Mac OS X|Macintosh/, 'macOS'],
    [/CrOS/, 'ChromeOS'],
    [/Linux|X11/, 'Linux'],
  ]);
  return browser === undefined || system === undefined ? undefined : { browser, system };
}

function firstOf(text: string, names: readonly (readonly [RegExp, string])[]): string | undefined {
  return names.find(([pattern]) => pattern.test(text))?.[1];
}
