// The texts of the first load in one piece.
import common from './zh/common.json' with { type: 'json' };
import errors from './zh/errors.json' with { type: 'json' };
import session from './zh/session.json' with { type: 'json' };
import shell from './zh/shell.json' with { type: 'json' };

export const firstTexts = { common, errors, session, shell };
