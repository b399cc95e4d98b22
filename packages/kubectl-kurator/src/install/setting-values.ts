/**
 * Kurator's settings: what the chart has as values under `kurator`, and how each reaches the operator. The chart's template and
 * `kurator install` are made of the same table.
 */

/** What reaches the operator as variables of its container, with what it is unless it is set. */
export const settingValues = {
  allowAddresses: [],
  hostNetworkChecks: false,
  limits: {
    repairs: 60,
    per: '1h',
    concurrent: 5,
    namespaceShare: 0.5,
    storm: { share: 0.3, services: 4, within: '10m', concurrent: 2, coolDown: '10s', calm: '5m' },
  },
};

/** By which variables. */
export const settingVariables = {
  allowAddresses: 'KURATOR_ALLOW_ADDRESSES',
  hostNetworkChecks: 'KURATOR_HOST_NETWORK_CHECKS',
  limits: 'KURATOR_LIMITS',
} as const;
