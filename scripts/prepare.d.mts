// Of what TypeScript asks for.
export function buildConsole(): void;
