// Markdown with the HTML in it, of administrators and of models: whatever could run, or could draw over the page, is left out.
// A chunk of its own: `rich-text.tsx` loads it.
import { type ComponentProps, type ComponentType, lazy, type ReactNode, Suspense, useMemo } from 'react';
import Markdown, { type Components, defaultUrlTransform } from 'react-markdown';
import rehypeRaw from 'rehype-raw';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import { safeLink, safePicture } from '#shared/links.ts';
import { markFormulas } from './math-marks.ts';

const Formula = lazy(async () => ({ default: (await import('./formula.tsx')).Formula }));

const schema = {
  ...defaultSchema,
  // Alignment of tables comes as an attribute; styles and classes could draw over the console.
  attributes: { ...defaultSchema.attributes, code: [['className', /^language-./, 'math-inline', 'math-display']] },
  // `img` alone draws them, and checks their source.
  protocols: { ...defaultSchema.protocols, src: ['http', 'https', 'data'] },
  // Ids could stand for those of the console's own parts.
  clobberPrefix: 'text-',
};

const components: Components = {
  a: ({ node: _node, href, children }) => {
    const link = href?.startsWith('#') || href?.startsWith('mailto:') ? href : safeLink(href ?? '', 'web');
    if (link === undefined) return <span>{children}</span>;
    return (
      <a href={link} target={link.startsWith('#') ? undefined : '_blank'} rel="noreferrer noopener">
        {children}
      </a>
    );
  },
  img: ({ node: _node, src, alt }) => {
    const picture = typeof src === 'string' ? safePicture(src) : undefined;
    return picture === undefined ? <span>{alt}</span> : <img src={picture} alt={alt ?? ''} loading="lazy" referrerPolicy="no-referrer" />;
  },
  code: ({ node: _node, className = '', children }) => {
    const isBlock = className.includes('math-display');
    if (!isBlock && !className.includes('math-inline')) return <code className={className || undefined}>{children}</code>;
    const tex = typeof children === 'string' ? children : '';
    return (
      <Suspense fallback={<code>{tex}</code>}>
        <Formula tex={tex} isBlock={isBlock} />
      </Suspense>
    );
  },
  // A formula of its own lines is no code.
  pre: ({ node, children }) => (isFormula(node) ? children : <pre>{children}</pre>),
  table: ({ node: _node, children }: ComponentProps<'table'> & { node?: unknown }) => (
    // A wide table scrolls by itself; what scrolls is reached by the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="region" tabIndex={0} data-table>
      <table>{children}</table>
    </div>
  ),
};

function isFormula(node: { children: readonly object[] } | undefined): boolean {
  const [first] = node?.children ?? [];
  if (first === undefined || !('properties' in first)) return false;
  const { properties } = first;
  const names = typeof properties === 'object' && properties !== null && 'className' in properties ? properties.className : undefined;
  return Array.isArray(names) && names.includes('math-display');
}

/** The address of a picture could send parts of a conversation to a third party: only pictures inside the response are drawn. */
const untrustedComponents: Components = {
  ...components,
  img: ({ node: _node, src, alt }) => {
    const picture = typeof src === 'string' ? safePicture(src) : undefined;
    if (picture?.startsWith('data:') === true) return <img src={picture} alt={alt ?? ''} />;
    const link = safeLink(typeof src === 'string' ? src : '', 'web');
    const words = alt === undefined || alt === '' ? (link ?? '') : alt;
    if (link === undefined) return <span>{words}</span>;
    return (
      <a href={link} target="_blank" rel="noreferrer noopener">
        {words}
      </a>
    );
  },
};

/** Removes addresses that a link must not have; pictures within the text stay. */
function addressOf(address: string): string {
  return /^data:image\//i.test(address) ? address : defaultUrlTransform(address);
}

interface MarkdownTextProps {
  text: string;
  hasHtml: boolean;
  isUntrusted?: boolean;
  codeBlock?: ComponentType<{ children?: ReactNode }> | undefined;
}

export function MarkdownText({ text, hasHtml, isUntrusted = false, codeBlock: CodeBlock }: MarkdownTextProps) {
  const drawnBy = useMemo((): Components => {
    const usual = isUntrusted ? untrustedComponents : components;
    return CodeBlock === undefined
      ? usual
      : { ...usual, pre: ({ node, children }) => (isFormula(node) ? children : <CodeBlock>{children}</CodeBlock>) };
  }, [isUntrusted, CodeBlock]);
  return (
    <Markdown
      remarkPlugins={isUntrusted ? [remarkGfm, [remarkMath, { singleDollarTextMath: false }]] : [remarkGfm]}
      rehypePlugins={hasHtml ? [rehypeRaw, [rehypeSanitize, schema]] : [[rehypeSanitize, schema]]}
      components={drawnBy}
      {...(isUntrusted ? { urlTransform: addressOf } : {})}
    >
      {isUntrusted ? markFormulas(text) : text}
    </Markdown>
  );
}
