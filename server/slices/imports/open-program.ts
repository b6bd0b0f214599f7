// Opens a source and finds out which program wrote it.
import type { Secrets } from '#server/secrets/secrets.ts';
import { openNewApi } from './newapi/newapi-program.ts';
import type { ImportProgram } from './program.ts';
import { openSource } from './sources/open-source.ts';
import { SourceError } from './sources/source-database.ts';

export interface OpenedProgram {
  program: ImportProgram;
  close(): Promise<void>;
}

/** @throws {SourceError} */
export async function openProgram(from: string, parts: { now: number; secrets: Secrets }): Promise<OpenedProgram> {
  const source = await openSource(from);
  try {
    const program = await openNewApi({ source, ...parts });
    if (program === null)
      throw new SourceError('The database is of no program that can be imported from: it has no tables of one-api, new-api or LiteLLM');
    return { program, close: () => source.close() };
  } catch (failure) {
    await source.close();
    throw failure;
  }
}
