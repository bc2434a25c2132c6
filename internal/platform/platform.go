// Package platform stops a build for a system on which the promises cannot be
// kept, with a name that says so. The lowest package imports it, so that this
// is the first error a person sees and not one of many.
package platform
