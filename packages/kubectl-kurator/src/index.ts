export { disturbedOf } from './drill/report.ts';
export { type Incident, incidents, type Kurator, kurators } from './healer/kinds.ts';
export { toneOf } from './healer/tones.ts';
export { watchAll } from './healer/watching.ts';
export { healerFolder } from './install/healer-folder.ts';
export { settingValues, settingVariables } from './install/setting-values.ts';
