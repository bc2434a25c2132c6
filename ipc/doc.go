// Package ipc carries requests through the command directory: post one,
// watch for them, await what they bring about.
//
// What it promises: a request that was posted is durable and stays until its
// effect is complete; nobody polls where the kernel can wake them.
//
// What it cannot: wake anybody across a network file system; there, and where
// the user's inotify instances are used up, it looks again at short intervals
// and says so.
package ipc
