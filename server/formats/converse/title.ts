/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const title = 'Bedrock Converse';
