import { act, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MarkdownText } from './markdown.tsx';

let place: HTMLElement;
let root: ReturnType<typeof createRoot>;
beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  place = document.body.appendChild(document.createElement('div'));
  root = createRoot(place);
});
afterEach(() => {
  act(() => root.unmount());
  place.remove();
});

function draw(text: string, hasHtml = true): HTMLElement {
  act(() => root.render(<MarkdownText text={text} hasHtml={hasHtml} />));
  return place;
}

describe('Markdown with HTML', () => {
  test('is drawn: headings, tables, lists, code, pictures and links', () => {
    const drawn = draw(
      '# Tides\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n- one\n\n`code` <b>strong</b> [here](https://example.com) ![map](https://example.com/map.png)',
    );
    expect(drawn.querySelector('h1')?.textContent).toBe('Tides');
    expect(drawn.querySelectorAll('td')).toHaveLength(2);
    expect(drawn.querySelector('b')?.textContent).toBe('strong');
    expect(drawn.querySelector('a')?.getAttribute('href')).toBe('https://example.com');
    expect(drawn.querySelector('a')?.rel).toContain('noopener');
    expect(drawn.querySelector('img')?.getAttribute('src')).toBe('https://example.com/map.png');
  });

  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg onload=alert(1)><animate onbegin=alert(1) /></svg>',
    '<iframe src="https://evil.example"></iframe>',
    '<form action="https://evil.example"><input name=password></form>',
    '<style>body{display:none}</style>',
    '<link rel=stylesheet href=https://evil.example>',
    '<base href="https://evil.example">',
    '<meta http-equiv=refresh content="0;url=https://evil.example">',
    '<object data="https://evil.example"></object>',
    '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<div style="position:fixed;inset:0" class="sh" onclick="alert(1)">over everything</div>',
    '<template><script>alert(1)</script></template>',
  ])('loses what could run or draw over the page: %s', (text) => {
    const drawn = draw(`before ${text} after`);
    expect(drawn.querySelectorAll('script,iframe,form,style,link,base,meta,object,embed,svg,math,template')).toHaveLength(0);
    // A task list has a box that cannot be changed; nothing else of a form is left.
    expect(drawn.querySelectorAll('input:not([type=checkbox][disabled])')).toHaveLength(0);
    for (const element of drawn.querySelectorAll('*'))
      for (const { name } of element.attributes) expect(name, element.outerHTML).not.toMatch(/^on|^style$|^class$|^srcdoc$/);
  });

  test.each([
    'javascript:alert(1)',
    'java&#9;script:alert(1)',
    'JAVASCRIPT:alert(1)',
    'vbscript:x',
    'data:text/html,<script>alert(1)</script>',
    'blob:https://x/1',
    '//evil.example',
    'file:///etc/passwd',
  ])('has no link to %s', (address) => {
    const drawn = draw(`[markdown](<${address}>) <a href="${address}">html</a>`);
    for (const link of drawn.querySelectorAll('a')) expect(link.getAttribute('href') ?? '').not.toMatch(/script|data:|blob:|file:|^\/\//i);
    expect(drawn.textContent).toContain('html');
  });

  test('gives ids a name of their own', () => {
    const drawn = draw('<h2 id="main">x</h2>');
    expect(drawn.querySelector('#main')).toBeNull();
  });
});

describe('Markdown alone', () => {
  test('shows HTML as it is written', () => {
    const drawn = draw('<b>strong</b> **bold**', false);
    expect(drawn.querySelector('b')).toBeNull();
    expect(drawn.querySelector('strong')?.textContent).toBe('bold');
  });
});

describe("a model's words", () => {
  const drawUntrusted = (text: string): HTMLElement => {
    const codeBlock = ({ children }: { children?: ReactNode }) => <section>{children}</section>;
    act(() => root.render(<MarkdownText text={text} hasHtml={false} isUntrusted codeBlock={codeBlock} />));
    return place;
  };

  test('load no picture from anywhere; its address is a link', () => {
    const drawn = drawUntrusted('![a map](https://example.com/map.png?said=secret) ![](/api/user/logout) ![x](javascript:alert(1))');
    expect(drawn.querySelector('img')).toBeNull();
    expect([...drawn.querySelectorAll('a')].map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['a map', 'https://example.com/map.png?said=secret'],
    ]);
  });

  test('may hold a picture themselves', () => {
    const drawn = drawUntrusted('![dot](data:image/png;base64,iVBORw0KGgo=) ![page](data:text/html,<script>1</script>)');
    expect([...drawn.querySelectorAll('img')].map((image) => image.getAttribute('src'))).toEqual(['data:image/png;base64,iVBORw0KGgo=']);
  });

  test('keep HTML as text, and hand over code that has lines of its own', () => {
    const drawn = drawUntrusted('<b onclick=x>bold</b>\n\n```ts\nlet a = "<i>";\n```\n\n`short`');
    expect(drawn.querySelector('b, i')).toBeNull();
    expect(drawn.querySelector('section code')?.textContent).toBe('let a = "<i>";\n');
    expect(drawn.querySelector('section code')?.className).toBe('language-ts');
    expect(drawn.querySelectorAll('section')).toHaveLength(1);
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', 'data:image/png;base64,AA', 'file:///etc/passwd', '//evil.example'])(
    'have no link to %s',
    (address) => {
      for (const link of drawUntrusted(`[here](<${address}>)`).querySelectorAll('a')) expect(link.getAttribute('href')).toBeNull();
    },
  );
});

describe('formulas in a model’s words', () => {
  async function drawn(text: string): Promise<HTMLElement> {
    await act(async () => {
      root.render(<MarkdownText text={text} hasHtml={false} isUntrusted />);
      await import('./formula.tsx');
    });
    await act(() => new Promise((resolve) => setTimeout(resolve, 20)));
    return place;
  }

  test('are MathML, within a line and on lines of their own; money is money', async () => {
    const words = await drawn('The sum \\(a^2 + b^2\\) costs $5 or $10.\n\n\\[ \\frac{1}{2} \\]\n\n`$x^2$`');
    expect(words.querySelectorAll('math')).toHaveLength(2);
    expect(words.querySelectorAll('math[display="block"]')).toHaveLength(1);
    expect(words.querySelector('mfrac')).not.toBeNull();
    expect(words.textContent).toContain('costs $5 or $10.');
    expect(words.querySelector('code')?.textContent).toBe('$x^2$');
    const more = await drawn('So\n\n$$\\frac{1}{2}$$\n\nand\n\n$$ a\n+ b $$\n\nhold.');
    expect(more.querySelectorAll('math[display="block"]')).toHaveLength(2);
    expect(more.querySelector('p:last-of-type')?.textContent).toBe('hold.');
  });

  test.each([
    '\\href{javascript:alert(1)}{x}',
    '\\htmlClass{sh}{x}',
    '\\includegraphics{https://evil.example/a.png}',
    '\\style{position:fixed}{x}',
    '</annotation><img src=x onerror=alert(1)>',
    '\\def\\a{\\a\\a}\\a',
  ])('%s does nothing', async (formula) => {
    const words = await drawn(`$$${formula}$$`);
    expect(words.querySelectorAll('a, img, script, [onerror], [onclick]')).toHaveLength(0);
    expect(words.querySelectorAll('[href], [class^="sh"], [style*="position"]')).toHaveLength(0);
  });
});
