// Opens a source and finds out which program wrote it.
import { readFile, stat } from 'node:fs/promises';
import { parse } from 'yaml';
import type { Secrets } from '#server/secrets/secrets.ts';
import { isLiteLlm, openLiteLlm } from './litellm/litellm-program.ts';
import { openNewApi } from './newapi/newapi-program.ts';
import type { ImportProgram } from './program.ts';
import { openSource } from './sources/open-source.ts';
import { objectOf } from './sources/row-values.ts';
import { readSourceAddress, sourceName } from './sources/source-address.ts';
import { SourceError } from './sources/source-database.ts';

export interface ProgramRequest {
  /** File or address of the database; undefined if there is a configuration only. */
  from?: string | undefined;
  /** Path of LiteLLM's config.yaml. */
  config?: string | undefined;
  /** Text of it. */
  configText?: string | undefined;
  /** Environment of LiteLLM: values of `os.environ/NAME`, LITELLM_SALT_KEY. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Name of the database in the report; that of the file or host if undefined. */
  name?: string | undefined;
}

export interface ProgramParts {
  /** Unix seconds. */
  now: number;
  secrets: Secrets;
  /** Quota of a dollar here, for sources that count in dollars. */
  quotaPerUnit: number;
}

export interface OpenedProgram {
  program: ImportProgram;
  close(): Promise<void>;
}

const largestConfig = 5_000_000;

/** @throws {SourceError} */
export async function openProgram(
  { from, config, configText, environment = {}, name }: ProgramRequest,
  parts: ProgramParts,
): Promise<OpenedProgram> {
  const configuration =
    config !== undefined ? await readConfig(config) : configText === undefined ? null : parseConfig(configText, 'config.yaml');
  const saltKey = environment['LITELLM_SALT_KEY'] ?? environment['LITELLM_MASTER_KEY'];
  const liteLlm = { config: configuration, environment, saltKey, ...parts };
  if (from === undefined) {
    if (configuration === null) throw new SourceError('There is neither a database nor a configuration to import from');
    return { program: await openLiteLlm({ ...liteLlm, source: null }), close: () => Promise.resolve() };
  }
  const source = await openSource(from);
  try {
    const program = isLiteLlm(source) ? await openLiteLlm({ ...liteLlm, source }) : await openNewApi({ source, ...parts });
    if (program === null) {
      const text = source.tables.has('ledger')
        ? 'This is a database of Tidegate: copy it with npm run move, or with npm run backup and npm run restore'
        : 'The database has no tables of one-api, new-api or LiteLLM';
      throw new SourceError(text, { failure: 'unknown' });
    }
    if (configuration !== null && program.program !== 'litellm')
      throw new SourceError('A configuration belongs to LiteLLM, but the database does not');
    return {
      program: { ...program, label: `${program.label}: ${name ?? sourceName(readSourceAddress(from))}` },
      close: () => source.close(),
    };
  } catch (failure) {
    await source.close();
    throw failure;
  }
}

async function readConfig(file: string): Promise<Readonly<Record<string, unknown>>> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true) throw new SourceError(`There is no file ${file}`);
  if (found.size > largestConfig) throw new SourceError(`The file ${file} is larger than ${largestConfig} bytes`);
  return parseConfig(await readFile(file, 'utf8'), file);
}

function parseConfig(text: string, name: string): Readonly<Record<string, unknown>> {
  try {
    // Aliases are bounded: a short file must not become a large one.
    const config = objectOf(parse(text, { maxAliasCount: 50 }));
    if (config === null) throw new Error('it has no fields');
    return config;
  } catch (cause) {
    throw new SourceError(`The file ${name} cannot be read: ${cause instanceof Error ? cause.message.slice(0, 300) : String(cause)}`, {
      cause,
    });
  }
}
