import { agentsSpeakers } from './agents-speakers.ts';
import { describePackages } from './package-cases.ts';

describePackages(agentsSpeakers);
