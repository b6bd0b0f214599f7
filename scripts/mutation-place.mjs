// Finds the place of a deliberate fault: a declaration by name, and in it some tokens, wherever the formatter breaks lines.
import { parseAst } from 'vite';

const words = /^[\w$#]+$/;
const token = /[#\w$]+|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\.\.\.|=>|[=!]==?|&&|\|\||\?\?|\?\.|[<>+\-*/]=?|\S/g;
const statements = /Statement$|^VariableDeclaration$/;

/**
 * Source with the fault in it. `in` names a declaration (`settle`, `Settlement.#write`), missing: the file. In it, `tokens` must occur once.
 * They become `become`; with `remove`, the innermost statement that has them goes.
 * @throws {Error} that says why it cannot be made
 */
export function withFault(source, fault) {
  const { start, end, become } = placeOf(source, fault);
  return `${source.slice(0, start)}${become}${source.slice(end)}`;
}

function placeOf(source, { file, in: name, tokens, remove, become }) {
  const program = parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  const parts = name === undefined ? [program] : declarations(program).filter((one) => one.name === name);
  if (parts.length === 0) throw new Error(`${file} has no ${name}`);
  const found = matches(source, remove ?? tokens).filter(({ start, end }) => parts.some((part) => part.start <= start && end <= part.end));
  if (found.length !== 1) throw new Error(`${name ?? file} has ${remove ?? tokens} ${found.length} times`);
  const [place] = found;
  if (remove === undefined) return { ...place, become };
  const around = nodesOf(program).filter(
    ({ type, start, end }) => statements.test(type) && type !== 'BlockStatement' && start <= place.start && place.end <= end,
  );
  const innermost = around.toSorted((a, b) => a.end - a.start - (b.end - b.start))[0];
  if (innermost === undefined) throw new Error(`${remove} is in no statement of ${file}`);
  return { start: innermost.start, end: innermost.end, become: '' };
}

function matches(source, text) {
  const parts = text.match(token) ?? [];
  const pattern = parts.map((part, index) => {
    const gap = index === 0 ? '' : words.test(part) && words.test(parts[index - 1]) ? '\\s+' : '\\s*';
    return `${gap}${RegExp.escape?.(part) ?? part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}`;
  });
  const [before, after] = [words.test(parts[0]) ? '(?<![\\w$#])' : '', words.test(parts.at(-1)) ? '(?![\\w$])' : ''];
  return [...source.matchAll(new RegExp(`${before}${pattern.join('')}${after}`, 'g'))].map(({ 0: matched, index }) => ({
    start: index,
    end: index + matched.length,
  }));
}

/** What has a name: functions, variables, members of classes (`Class.member`) and of objects. */
function declarations(program) {
  const found = [];
  const walk = (node, owner) => {
    if (Array.isArray(node)) for (const item of node) walk(item, owner);
    if (typeof node?.type !== 'string') return;
    const name = nameOf(node);
    const isClass = node.type === 'ClassDeclaration';
    if (name !== undefined) found.push({ name: owner === undefined ? name : `${owner}.${name}`, start: node.start, end: node.end });
    for (const child of Object.values(node)) walk(child, isClass ? name : node.type === 'ClassBody' ? owner : undefined);
  };
  walk(program.body, undefined);
  return found;
}

function nameOf({ type, id, key }) {
  if (type === 'FunctionDeclaration' || type === 'ClassDeclaration' || type === 'VariableDeclarator') return id?.name;
  if (type !== 'MethodDefinition' && type !== 'PropertyDefinition' && type !== 'Property') return undefined;
  return key.type === 'PrivateIdentifier' ? `#${key.name}` : (key.name ?? String(key.value));
}

function nodesOf(program) {
  const found = [];
  const walk = (node) => {
    if (Array.isArray(node)) for (const item of node) walk(item);
    if (typeof node?.type !== 'string') return;
    found.push(node);
    for (const child of Object.values(node)) walk(child);
  };
  walk(program.body);
  return found;
}
