import { describeTypes } from './provider-table/describe-types.ts';

describeTypes(15, 26);
