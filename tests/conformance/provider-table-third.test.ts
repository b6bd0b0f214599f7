import { describeTypes } from './provider-table/describe-types.ts';

describeTypes(27, 99);
