/**
 * Whether this Node asks which upgrades to accept (`shouldUpgradeCallback`). Others pass every offer to a listener, and harmless ones such as
 * `h2c` of Java's client would no longer be answered.
 */
export const choosesUpgrades = ((): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 9)
})()
