// Mail server over a real socket, for tests: accepts mails as SMTP says (RFC 5321), with STARTTLS or TLS from the start and with sign-in, stores
// them, and misbehaves on demand.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer, TLSSocket } from 'node:tls';
import { type ReadMail, readMail } from './read-mail.ts';
import { localhostTls } from './trust-localhost.ts';

export interface ReceivedMail extends ReadMail {
  /** The envelope: what `MAIL FROM` and `RCPT TO` said. */
  from: string;
  to: string[];
  /** It came over TLS. */
  isSecure: boolean;
  /** User who signed in; null for none. */
  user: string | null;
  raw: string;
}

/** A step of the conversation, by the command that begins it. */
type Step = 'connect' | 'EHLO' | 'STARTTLS' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'end';

export interface FakeSmtpOptions {
  /** `starttls`: offered; `implicit`: from the first byte; `none`: not offered. */
  tls?: 'starttls' | 'implicit' | 'none';
  /** The only name and password that it accepts; absent: it requires none. */
  account?: { user: string; password: string };
  /** An address of this machine. */
  host?: string;
}

export interface FakeSmtp {
  readonly port: number;
  readonly host: string;
  /** In the order of their arrival. */
  readonly mails: ReceivedMail[];
  /** Every command line as it came, passwords included. */
  readonly commands: string[];
  /** Sockets that are open. */
  readonly connections: number;
  /** Answers that step with this line, `times` times, instead of doing it. */
  refuse(step: Step, line: string, times?: number): void;
  /** Never answers that step, until `heal`. */
  stall(step: Step): void;
  heal(): void;
  close(): Promise<void>;
}

interface Rules {
  refusals: Map<Step, { line: string; times: number }>;
  stalled: Set<Step>;
}

export async function startFakeSmtp(options: FakeSmtpOptions = {}): Promise<FakeSmtp> {
  const { tls = 'starttls', host = '127.0.0.1' } = options;
  const mails: ReceivedMail[] = [];
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const rules: Rules = { refusals: new Map(), stalled: new Set() };
  const onSocket = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    converse(socket, { tls, account: options.account, mails, commands, rules });
  };
  const server = tls === 'implicit' ? createTlsServer(localhostTls, onSocket) : createServer(onSocket);
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    host,
    mails,
    commands,
    get connections() {
      return sockets.size;
    },
    refuse: (step, line, times = Number.POSITIVE_INFINITY) => void rules.refusals.set(step, { line, times }),
    stall: (step) => void rules.stalled.add(step),
    heal() {
      rules.refusals.clear();
      rules.stalled.clear();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Conversation {
  tls: 'starttls' | 'implicit' | 'none';
  account: { user: string; password: string } | undefined;
  mails: ReceivedMail[];
  commands: string[];
  rules: Rules;
}

function converse(first: Socket, { tls, account, mails, commands, rules }: Conversation): void {
  let socket = first;
  let isSecure = tls === 'implicit';
  let user: string | null = null;
  let from = '';
  let to: string[] = [];
  let buffer = '';
  /** What the next line is, when it is no command. */
  let expects: 'command' | 'data' | 'plain' | 'login-user' | 'login-password' = 'command';
  let loginUser = '';

  const reply = (line: string) => void socket.write(`${line}\r\n`);
  /** True when the step goes as it should. */
  const goes = (step: Step): boolean => {
    if (rules.stalled.has(step)) return false;
    const refusal = rules.refusals.get(step);
    if (refusal === undefined || refusal.times <= 0) return true;
    refusal.times -= 1;
    reply(refusal.line);
    return false;
  };
  const signIn = (name: string, password: string) => {
    expects = 'command';
    if (!goes('AUTH')) return;
    if (account === undefined || name !== account.user || password !== account.password) return reply('535 5.7.8 wrong credentials');
    user = name;
    reply('235 2.7.0 welcome');
  };
  const plain = (text: string) => {
    const [, name = '', password = ''] = Buffer.from(text, 'base64').toString().split('\0');
    signIn(name, password);
  };

  function greet(): void {
    const extensions = ['8BITMIME', ...(tls === 'starttls' && !isSecure ? ['STARTTLS'] : []), ...(account ? ['AUTH PLAIN LOGIN'] : [])];
    if (!goes('EHLO')) return;
    const lines = ['fake.example', ...extensions];
    for (const [index, line] of lines.entries()) reply(`250${index === lines.length - 1 ? ' ' : '-'}${line}`);
  }

  function startTls(): void {
    if (!goes('STARTTLS')) return;
    reply('220 go ahead');
    socket.removeListener('data', onData);
    socket = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(localhostTls) });
    socket.on('error', () => undefined);
    socket.on('data', onData);
    isSecure = true;
  }

  function obey(line: string): void {
    commands.push(line);
    const [verb = '', argument = '', initial] = line.split(' ');
    switch (verb.toUpperCase()) {
      case 'EHLO':
      case 'HELO':
        return greet();
      case 'STARTTLS':
        return startTls();
      case 'AUTH':
        if (argument.toUpperCase() === 'PLAIN') {
          if (initial !== undefined) return plain(initial);
          expects = 'plain';
          return reply('334 ');
        }
        expects = 'login-user';
        return reply('334 VXNlcm5hbWU6');
      case 'MAIL':
        if (account !== undefined && user === null) return reply('530 5.7.0 sign in first');
        from = pathOf(line);
        to = [];
        if (goes('MAIL')) reply('250 2.1.0 ok');
        return;
      case 'RCPT':
        if (!goes('RCPT')) return;
        to.push(pathOf(line));
        return reply('250 2.1.5 ok');
      case 'DATA':
        if (!goes('DATA')) return;
        expects = 'data';
        return reply('354 go on');
      case 'QUIT':
        reply('221 bye');
        return void socket.end();
      default:
        return reply('502 5.5.2 not understood');
    }
  }

  function take(raw: string): void {
    expects = 'command';
    if (!goes('end')) return;
    mails.push({ from, to, isSecure, user, raw, ...readMail(raw) });
    reply('250 2.0.0 taken');
  }

  function onLine(line: string): void {
    if (expects === 'plain') return plain(line);
    if (expects === 'login-user') {
      loginUser = Buffer.from(line, 'base64').toString();
      expects = 'login-password';
      return reply('334 UGFzc3dvcmQ6');
    }
    if (expects === 'login-password') return signIn(loginUser, Buffer.from(line, 'base64').toString());
    return obey(line);
  }

  function onData(bytes: Buffer): void {
    buffer += bytes.toString('latin1');
    for (;;) {
      const mark = expects === 'data' ? '\r\n.\r\n' : '\r\n';
      const end = buffer.indexOf(mark);
      if (end === -1) return;
      const piece = buffer.slice(0, end);
      buffer = buffer.slice(end + mark.length);
      if (expects === 'data') take(piece.replaceAll('\r\n..', '\r\n.'));
      else onLine(piece);
    }
  }

  socket.on('data', onData);
  if (goes('connect')) reply('220 fake.example ESMTP');
}

/** The address between `<` and `>`. */
function pathOf(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? '';
}
