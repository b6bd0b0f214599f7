// The texts of the first load in one piece.
import common from './en/common.json' with { type: 'json' };
import errors from './en/errors.json' with { type: 'json' };
import frame from './en/frame.json' with { type: 'json' };
import session from './en/session.json' with { type: 'json' };

export const firstTexts = { common, errors, frame, session };
