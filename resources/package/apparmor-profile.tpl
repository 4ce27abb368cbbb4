# Chromium's sandbox creates user namespaces, which Ubuntu 23.10 and later allow only for programs with a profile.
# The profile allows that and restricts nothing else: Chromium's sandbox restricts its own processes.
abi <abi/4.0>,
include <tunables/global>

profile "${executable}" "/opt/${sanitizedProductName}/${executable}" flags=(unconfined) {
  userns,

  # Additions and changes of this computer.
  include if exists <local/${executable}>
}
