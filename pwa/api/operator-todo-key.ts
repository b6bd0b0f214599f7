/** Of what needs a hand: for those who know that it has changed, and do not read it. */
export const operatorTodoKey = ['home', 'todo'] as const;
