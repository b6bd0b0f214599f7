// The texts of the first load in one piece.
import common from './zh/common.json' with { type: 'json' };
import errors from './zh/errors.json' with { type: 'json' };
import frame from './zh/frame.json' with { type: 'json' };
import session from './zh/session.json' with { type: 'json' };

export const firstTexts = { common, errors, frame, session };
