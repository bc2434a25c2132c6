package launch

const (
	roleOrphans = "__orphans"
	roleFoster  = "__foster"
)

func orphansMain(string) int        { return 0 }
func fosterMain(string, string) int { return 0 }
