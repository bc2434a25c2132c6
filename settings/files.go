package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Names of the layers, each over the one before.
const (
	LayerDefault  = "default"
	LayerGlobal   = "global"
	LayerPersonal = "personal"
	LayerProject  = "project"
)

// MaxFileBytes is the largest file that is read.
const MaxFileBytes = 1 << 20

// projectFile is the name of the personal file in the home directory, and of
// a project's in its own.
const projectFile = ".agents/agent-runs.json"

// File is where a layer is written down. Path is "" where it has no place:
// there is no home directory, or no project.
type File struct {
	Layer string `json:"layer"`
	Path  string `json:"path"`
}

// content is what a file held. trouble says why it could not be read; missing
// is none.
type content struct {
	File
	body    []byte
	there   bool
	trouble string
}

// Files returns the places of the three layers that are files. The global one
// is $XDG_CONFIG_HOME/agent-runs/settings.json, else below ~/.config; the
// personal one ~/.agents/agent-runs.json; the project's the nearest
// .agents/agent-runs.json from cwd upwards, no farther than a directory with
// a .git in it, and never the home directory's.
func Files(getenv func(string) string, cwd string) []File {
	return append(ownFiles(getenv), File{LayerProject, findProject(getenv("HOME"), cwd)})
}

func ownFiles(getenv func(string) string) []File {
	global, personal := "", ""
	if home := getenv("HOME"); filepath.IsAbs(home) {
		global = filepath.Join(home, ".config", "agent-runs", "settings.json")
		personal = filepath.Join(home, projectFile)
	}
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		global = filepath.Join(dir, "agent-runs", "settings.json")
	}
	return []File{{LayerGlobal, global}, {LayerPersonal, personal}}
}

// findProject returns the path of the project's file, or "".
func findProject(home, cwd string) string {
	for dir := range upwards(home, cwd) {
		path := filepath.Join(dir, projectFile)
		if _, err := os.Lstat(path); err == nil && !sameFile(path, filepath.Join(home, projectFile)) {
			return path
		}
	}
	return ""
}

// ProjectFile is where the settings of the project around cwd are or would
// be: the file that is there, else one in the nearest directory with a .git,
// else one in cwd. It is "" in the home directory itself.
func ProjectFile(getenv func(string) string, cwd string) string {
	home := getenv("HOME")
	if path := findProject(home, cwd); path != "" || isHome(home, cwd) {
		return path
	}
	for dir := range upwards(home, cwd) {
		if isRoot(dir) {
			return filepath.Join(dir, projectFile)
		}
	}
	return filepath.Join(cwd, projectFile)
}

// upwards yields cwd and the directories above it, up to the project's root,
// and stops below the home directory.
func upwards(home, cwd string) func(func(string) bool) {
	return func(yield func(string) bool) {
		if !filepath.IsAbs(cwd) {
			return
		}
		for dir := filepath.Clean(cwd); !isHome(home, dir); dir = filepath.Dir(dir) {
			if !yield(dir) || isRoot(dir) || dir == filepath.Dir(dir) {
				return
			}
		}
	}
}

func isHome(home, dir string) bool {
	return filepath.IsAbs(home) && filepath.Clean(home) == filepath.Clean(dir)
}

// isRoot reports whether a project begins at dir. In a linked worktree .git
// is a file.
func isRoot(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// sameFile reports whether both paths lead to one file: the home directory
// may be known by another name.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func read(files []File) []content {
	all := make([]content, len(files))
	for i, f := range files {
		all[i] = readFile(f)
	}
	return all
}

func readFile(file File) content {
	c := content{File: file}
	if file.Path == "" {
		return c
	}
	// A fifo would keep us waiting for its writer.
	f, err := os.OpenFile(file.Path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return c
	}
	c.there = true
	if err == nil {
		defer f.Close()
		c.body, err = readRegular(f)
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err // the path is told anyway
	}
	if err != nil {
		c.trouble = err.Error()
	}
	return c
}

func readRegular(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	body, err := io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
	if err == nil && len(body) > MaxFileBytes {
		err = fmt.Errorf("it has more than the %d bytes that are read", MaxFileBytes)
	}
	return body, err
}
