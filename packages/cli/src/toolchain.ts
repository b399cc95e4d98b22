/** What is done with an operator's project, for packages whose commands do it with an operator of their own. */
export { buildImage } from './build/build.ts';
export { compileProject } from './build/compile.ts';
export { agreeToInstall } from './cluster/agree-to-install.ts';
export { runningCluster } from './cluster/named-cluster.ts';
export { checkPlan, type DeployOptions, deployOperator, planDeployment } from './deploy/deploy.ts';
export { describeProject } from './deploy/describe-project.ts';
export { withContent } from './deploy/image-content.ts';
export { planText } from './deploy/plan-text.ts';
export { type UndeployOptions, undeployOperator } from './deploy/undeploy.ts';
export { kindOf } from './kube/kinds.ts';
export { untilEstablished } from './kube/rollout.ts';
export { DEFAULT_RESOURCES, labelsOf, namespaceOf, type OperatorDescription } from './manifests/description.ts';
export { operatorManifests } from './manifests/operator-manifests.ts';
export { programFacts } from './project/program-facts.ts';
export { type Project, readProject } from './project/project.ts';
export { pushTo } from './push/push.ts';
