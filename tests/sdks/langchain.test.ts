import { langchainSpeakers } from './langchain-speakers.ts';
import { describePackages } from './package-cases.ts';

describePackages(langchainSpeakers);
