import { buildIfNeeded } from '../../resources/scripts/ready.mjs'

/** Before tests of what a person starts: the build, once for all of them, where the sources are not those of the last one. */
export default buildIfNeeded
