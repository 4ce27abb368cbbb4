import { buildIfNeeded } from '../../resources/scripts/ready.mjs'

/** Builds the product once before the tests that start it, unless the build is up to date. */
export default buildIfNeeded
