import { aiSpeakers } from './ai-speakers.ts';
import { describePackages } from './package-cases.ts';

describePackages(aiSpeakers);
