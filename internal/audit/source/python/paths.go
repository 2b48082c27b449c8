// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package python

import "github.com/toolvet/toolvet/internal/audit/source/internal/flow"

var pathType = []string{"pathlib.Path()"}

func definePaths(t *table) {
	t.define(pathArg(0), "open", "io.open", "codecs.open", "aiofiles.open", "os.open", "os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.remove", "os.unlink", "os.rmdir", "os.removedirs", "os.mkdir", "os.makedirs", "os.chmod", "os.chown", "os.truncate", "os.readlink", "glob.glob", "glob.iglob",
		"shutil.rmtree", "shutil.make_archive", "gzip.open", "bz2.open", "lzma.open", "sqlite3.connect", "aiosqlite.connect", "mimetypes.read_mime_types",
		"pandas.read_csv", "pandas.read_excel", "pandas.read_json", "pandas.read_parquet", "pandas.ExcelFile", "polars.read_csv", "numpy.load", "numpy.loadtxt", "PIL.Image.open", "cv2.imread", "docx.Document", "pptx.Presentation", "openpyxl.load_workbook", "PyPDF2.PdfReader", "pypdf.PdfReader", "fitz.open", "pymupdf.open", "pdfplumber.open", "librosa.load", "soundfile.read", "nbformat.read", "joblib.load", "importlib.util.spec_from_file_location", "runpy.run_path",
		"git.Repo", "git.Repo.init", "pygit2.Repository", "configparser.ConfigParser().read", "fileinput.input", "linecache.getlines", "mmap.mmap", "trimesh.load", "duckdb.connect", "dotenv.load_dotenv")
	t.define(pathArg(0, 1), "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "shutil.move", "os.rename", "os.replace", "os.link", "os.symlink", "os.renames")
	t.method(pathArg(0), []string{"openpyxl.Workbook()", "openpyxl.load_workbook()", "docx.Document()", "pptx.Presentation()", "PIL.Image.open()", "fitz.open()", "pymupdf.open()"}, "save")
	t.define(pathArg(0), "git.Repo().index.add", "git.Repo().index.remove", "git.Repo().index.move")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		c.In.URLSink(c.Pos, c.Name, c.Arg(0, "url"))
		c.In.PathSink(c.Pos, c.Name, c.Arg(1, "to_path"))
		return flow.NativeValue("git.Repo()")
	}, "git.Repo.clone_from")
	t.method(pathArg(0), []string{"pandas.DataFrame()", "pandas.read_csv()"}, "to_csv", "to_excel", "to_json", "to_parquet")

	t.define(joinPath, "os.path.join")
	t.define(changed(flow.Normal), "os.path.normpath", "os.path.abspath")
	t.define(changed(flow.Normal|flow.Realpath), "os.path.realpath")
	t.define(changed(0), "os.path.expanduser", "os.path.expandvars", "os.path.normcase", "os.fspath", "os.fsdecode", "os.fsencode", "os.path.dirname")
	t.define(changed(basename), "os.path.basename", "werkzeug.utils.secure_filename", "pathvalidate.sanitize_filename")
	t.define(changed(flow.Normal|flow.RelOf|flow.Relative), "os.path.relpath")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Derive(flow.CommonRoot, 0, c.Pos, "", c.Arg(0))
	}, "os.path.commonpath")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Derive(flow.Part, 0, c.Pos, "", c.Arg(0))
	}, "os.path.commonprefix", "os.path.splitext", "os.path.splitdrive")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Tuple(c.In.Derive(flow.Whole, 0, c.Pos, "", c.Arg(0)), c.In.Derive(flow.Whole, basename, c.Pos, "", c.Arg(0)))
	}, "os.path.split")
	t.define(nothing, "os.path.islink", "os.path.getsize", "os.path.getmtime", "os.path.samefile")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return c.In.Check(c.Arg(0, "path"), flow.Local, 0) },
		"os.path.exists", "os.path.isfile", "os.path.isdir", "os.path.lexists", "os.access", "aiofiles.os.path.exists", "aiofiles.os.path.isfile")
	t.define(recvCheck(flow.Local, 0), ".exists", ".is_file", ".is_dir")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { return c.In.Check(c.Arg(0), 0, flow.Relative) }, "os.path.isabs")

	t.define(newPath, "pathlib.Path")
	sink := func(_ *lang, c *flow.CallSite) flow.Value {
		c.In.PathSink(c.Pos, "Path"+afterLast(c.Name), c.Recv)
		if c.Name != ".open" {
			c.In.PathSink(c.Pos, "Path"+afterLast(c.Name), pathOnly(c))
		}
		return flow.Value{}
	}
	t.method(sink, pathType, "read_text", "read_bytes", "write_text", "write_bytes", "open", "unlink", "mkdir", "rmdir", "iterdir", "glob", "rglob", "rename", "replace", "touch", "symlink_to", "hardlink_to", "chmod", "walk", "readlink")
	t.define(sink, ".read_text", ".read_bytes", ".write_text", ".write_bytes", ".unlink", ".iterdir", ".rglob", ".rmdir", ".touch", ".symlink_to")
	resolve := recvChanged(flow.Whole, flow.Normal|flow.Realpath, "pathlib.Path()")
	t.method(resolve, pathType, "resolve")
	t.define(resolve, ".resolve")
	t.method(recvChanged(flow.Whole, 0, "pathlib.Path()"), pathType, "absolute", "expanduser", "with_suffix", "as_posix", "__str__", "__truediv__")
	withName := func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Derive(flow.Whole, 0, c.Pos, "", append([]flow.Value{c.Recv}, c.Args...)...).WithNative("pathlib.Path()")
	}
	t.method(withName, pathType, "joinpath", "with_name", "with_stem")
	t.define(withName, ".joinpath")
	below := func(_ *lang, c *flow.CallSite) flow.Value { return c.In.CheckBelow(c.Recv, c.Arg(0)) }
	t.method(below, pathType, "is_relative_to")
	t.define(below, ".is_relative_to")
	relative := func(_ *lang, c *flow.CallSite) flow.Value {
		c.In.Ensure(c.Recv, flow.PrefixSep, c.Arg(0))
		return c.In.Derive(flow.Whole, flow.Relative, c.Pos, "", c.Recv).WithNative("pathlib.Path()")
	}
	t.method(relative, pathType, "relative_to")
	t.define(relative, ".relative_to")
	t.method(recvCheck(0, flow.Relative), pathType, "is_absolute")
	t.define(recvCheck(0, flow.Relative), ".is_absolute")
}

// pathOnly are the paths among the arguments of a path's method.
func pathOnly(c *flow.CallSite) flow.Value {
	switch afterLast(c.Name) {
	case ".glob", ".rglob", ".rename", ".replace":
		return c.Arg(0)
	}
	return flow.Value{}
}

func afterLast(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '.' {
			return name[i:]
		}
	}
	return "." + name
}

// pathArg is a function that opens the files named by some of its arguments.
func pathArg(args ...int) model {
	names := []string{"file", "path", "name", "filename", "filepath_or_buffer", "src", "url", "database", "filepath"}
	return func(_ *lang, c *flow.CallSite) flow.Value {
		for _, i := range args {
			v := c.Arg(i, names...)
			if i == 1 {
				v = c.Arg(i, "dst")
			}
			c.In.PathSink(c.Pos, c.Name, v)
		}
		return flow.NativeValue(c.Name + "()")
	}
}

func newPath(_ *lang, c *flow.CallSite) flow.Value {
	if len(c.Args) == 1 {
		return c.In.Derive(flow.Whole, 0, c.Pos, "", c.Args[0]).WithNative("pathlib.Path()")
	}
	return joinPath(nil, c).WithNative("pathlib.Path()")
}

// joinPath keeps how the path begins; an absolute part replaces the parts in front of it.
func joinPath(_ *lang, c *flow.CallSite) flow.Value {
	return c.In.Derive(flow.Whole, 0, c.Pos, "", c.Args...)
}

// join is path / part.
func join(_ *lang, c *flow.CallSite) flow.Value {
	return c.In.Derive(flow.Whole, 0, c.Pos, "", c.Args...).WithNative("pathlib.Path()")
}
