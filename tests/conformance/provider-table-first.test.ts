import { describeTypes } from './provider-table/describe-types.ts';

describeTypes(1, 14);
